// Command go creates an event and reads its footprint with the Go client. ECF_URL is
// the address of the server; ECF_EMAIL and ECF_PASSWORD are the login of a manager.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		if refused, ok := errors.AsType[*client.Error](err); ok {
			for _, fault := range refused.Details {
				log.Print(fault.Field, " ", fault.Message, " ", fault.Suggestions)
			}
		}
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	c, err := client.New(cmp.Or(os.Getenv("ECF_URL"), "http://127.0.0.1:8080"), client.Options{})
	if err != nil {
		return err
	}
	if err := c.Login(ctx, os.Getenv("ECF_EMAIL"), os.Getenv("ECF_PASSWORD")); err != nil {
		return err
	}
	event, err := c.CreateEvent(ctx, client.EventInput{Title: "Team meeting", Country: "GB", Attendees: new(12)})
	if err != nil {
		return err
	}
	flight, err := c.CreateRecord(ctx, event.ID, client.Flight{From: "LHR", To: "JFK", Class: "economy", Passengers: 2, RoundTrip: true})
	if err != nil {
		return err
	}
	if _, err := c.SubmitRecord(ctx, flight.Ref()); err != nil {
		return err
	}
	if _, err := c.ApproveRecord(ctx, flight.Ref(), ""); err != nil {
		return err
	}
	result, err := c.WaitForResult(ctx, event.ID)
	if err != nil {
		return err
	}
	fmt.Println(result.Total.KgCO2e, "kg CO2e")
	return nil
}

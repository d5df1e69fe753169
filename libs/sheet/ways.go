package sheet

// ways are what tables have below the head of a return journey in place of yes and no, as
// key writes them. In English a single is a way there, and in German a way that is einfach.
var ways = map[string]bool{
	"return": true, "returnticket": true, "returntrip": true, "returnjourney": true, "roundtrip": true, "rt": true, "r/t": true, "bothways": true,
	"thereandback": true, "hinundzurück": true, "hinundrückfahrt": true, "hinundrückflug": true, "hinundrück": true, "hin/rück": true, "hin/zurück": true,
	"allerretour": true, "a/r": true,
	"single": false, "singleticket": false, "singletrip": false, "oneway": false, "onewayticket": false, "onewaytrip": false, "ow": false, "o/w": false,
	"einfach": false, "einfachefahrt": false, "nurhin": false, "nurhinfahrt": false, "nurhinflug": false, "allersimple": false,
}

// way returns whether a word below the head of a return journey means one.
func way(word string) (roundTrip, known bool) {
	roundTrip, known = ways[key(word)]
	return roundTrip, known
}

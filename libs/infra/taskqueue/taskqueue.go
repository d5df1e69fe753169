// Package taskqueue opens the queue of recalculations of a process.
package taskqueue

import (
	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/settings"
)

// Config is where the queue is.
type Config struct{ URL string }

// Describe implements settings.Config.
func (c *Config) Describe(s *settings.Set) { redisx.DescribeURL(s, &c.URL).Require() }

// Queue is the open queue. A process works without its server: the marks of the records remain, and the sweeper finds
// them.
type Queue struct {
	Connection redisx.QueueConnection
	// Interactive is the queue for recalculations that people wait for, Bulk that for others.
	Interactive, Bulk *notify.Queue
}

// Open prepares the connections and closes them with the process. It does not
// connect.
func Open(p *app.Process, url string) (*Queue, error) {
	connection, err := redisx.AsynqOpt(url)
	if err != nil {
		return nil, err
	}
	q := &Queue{
		Connection:  connection,
		Interactive: notify.NewQueue(connection, notify.QueueInteractive, p.Logger, p.Now),
		Bulk:        notify.NewQueue(connection, notify.QueueBulk, p.Logger, p.Now),
	}
	p.OnClose(q.Interactive.Close)
	p.OnClose(q.Bulk.Close)
	return q, nil
}

// Insight returns the measurements of the queue, and closes them with the
// process.
func (q *Queue) Insight(p *app.Process) (*notify.Insight, error) {
	insight, err := notify.NewInsight(q.Connection, nil, p.Now)
	if err != nil {
		return nil, err
	}
	p.OnClose(insight.Close)
	return insight, nil
}

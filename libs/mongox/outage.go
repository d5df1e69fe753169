package mongox

import (
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Wrap adds the failed operation to an error of the driver. If the server could not be reached or is unavailable
// (IsOutage), or the failure is transient (IsTransient), the error is UNAVAILABLE: the request itself is valid and
// may be repeated. Wrap of nil is nil.
func Wrap(verb string, err error) error {
	if err == nil {
		return nil
	}
	wrapped := fmt.Errorf("%s: %w", verb, err)
	switch {
	case !IsOutage(err) && !IsTransient(err):
		return wrapped
	case isUnconfirmed(err):
		return apperr.New(apperr.Unavailable, "The database did not confirm what was written, so it may have been stored or not. Read it before you repeat the request.").Because(wrapped)
	}
	return apperr.New(apperr.Unavailable, "The database cannot be reached right now.").Because(wrapped)
}

// unconfirmedError is the error of a write that the server may have executed, or may execute later.
type unconfirmedError struct{ error }

// Unwrap returns the error of the driver.
func (e unconfirmedError) Unwrap() error { return e.error }

// Unconfirmed returns the error of a write, so that Wrap says if it is unknown whether the write was executed: in any
// outage except those in which it was not sent or was refused. Repeat does it for its writes. Unconfirmed of nil is nil.
func Unconfirmed(err error) error {
	if isUnexecuted(err) {
		return err
	}
	return afterUnconfirmed(err)
}

// afterUnconfirmed is Unconfirmed for an error that says nothing about the write: that of what followed it.
func afterUnconfirmed(err error) error {
	if IsOutage(err) || IsTransient(err) {
		return unconfirmedError{err}
	}
	return err
}

func isUnconfirmed(err error) bool {
	_, ok := errors.AsType[unconfirmedError](err)
	return ok
}

// isUnexecuted reports whether an outage has certainly prevented the execution of a write.
func isUnexecuted(err error) bool {
	if isUnacknowledged(err) || mongo.IsNetworkError(err) && !isUnsent(err) {
		return false
	}
	if isUnsent(err) || IsUnreached(err) || errors.Is(err, mongo.ErrClientDisconnected) {
		return true
	}
	if _, ok := errors.AsType[topology.WaitQueueTimeoutError](err); ok {
		return true
	}
	failed, ok := errors.AsType[mongo.ServerError](err)
	return ok && (failed.HasErrorLabel("SystemOverloadedError") || slices.ContainsFunc(refusalCodes, failed.HasErrorCode))
}

// refusalCodes are the codes with which a server that is unavailable refuses a write instead of beginning it, or undoes
// what it has begun.
var refusalCodes = []int{
	24,    // LockTimeout
	46,    // LockBusy
	112,   // WriteConflict
	10058, // NotPrimary of old
	10107, // NotWritablePrimary
	13435, // NotPrimaryNoSecondaryOk
	13436, // NotPrimaryOrSecondary
	14031, // OutOfDiskSpace
	16500, // TooManyRequests of managed offerings
}

// IsOutage reports whether err means that the server was unreachable or
// unavailable: no connection, no primary, a lost connection, a timeout of the
// driver, or a write without majority acknowledgement. The operation can be
// retried; a write may have happened nevertheless.
func IsOutage(err error) bool {
	if mongo.IsNetworkError(err) || errors.Is(err, mongo.ErrClientDisconnected) || isUnsent(err) || isUnacknowledged(err) {
		return true
	}
	if _, ok := errors.AsType[topology.ServerSelectionError](err); ok {
		return true
	}
	if _, ok := errors.AsType[topology.WaitQueueTimeoutError](err); ok {
		return true
	}
	if _, ok := errors.AsType[topology.ConnectionError](err); ok {
		return true
	}
	failed, ok := errors.AsType[mongo.ServerError](err)
	return ok && (failed.HasErrorLabel("SystemOverloadedError") || slices.ContainsFunc(outageCodes, failed.HasErrorCode))
}

// IsUnreached reports whether err means that no server was reached which could execute a command: its address is
// unknown, nothing answers there, its certificate is refused, or a replica set has no primary.
func IsUnreached(err error) bool {
	_, selection := errors.AsType[topology.ServerSelectionError](err)
	_, connection := errors.AsType[topology.ConnectionError](err)
	return selection || connection || IsUnresolved(err)
}

// isUnsent reports whether the driver had no connection to send a command on: after a failed command or heartbeat it
// closes all connections to a server, and the commands waiting for one have this error. It is not labeled as a
// network error, and the driver retries only some of them.
func isUnsent(err error) bool {
	var cleared driver.RetryablePoolError
	if errors.As(err, &cleared) {
		return true
	}
	_, closed := errors.AsType[topology.PoolError](err)
	return closed || errors.Is(err, topology.ErrServerClosed)
}

// isUnacknowledged reports whether the primary executed a write, but no majority of the members acknowledged what it
// had executed by then. A failover may roll that back, also the document that the write found in its way.
func isUnacknowledged(err error) bool {
	if one, ok := errors.AsType[mongo.WriteException](err); ok {
		return one.WriteConcernError != nil
	}
	many, ok := errors.AsType[mongo.BulkWriteException](err)
	return ok && many.WriteConcernError != nil
}

// outageCodes are the codes with which a server reports that it is unavailable: those of the specification of
// retryable reads and writes, timeouts of an operation or a write concern, a cursor lost with its member,
// interruptions, and a full disk.
var outageCodes = []int{
	6,     // HostUnreachable
	7,     // HostNotFound
	43,    // CursorNotFound
	50,    // MaxTimeMSExpired
	64,    // WriteConcernTimeout
	89,    // NetworkTimeout
	91,    // ShutdownInProgress
	100,   // UnsatisfiableWriteConcern
	133,   // FailedToSatisfyReadPreference
	134,   // ReadConcernMajorityNotAvailableYet
	175,   // QueryPlanKilled
	187,   // LinearizableReadConcernError: no majority confirmed the primary in time
	189,   // PrimarySteppedDown
	202,   // NetworkInterfaceExceededTimeLimit
	237,   // CursorKilled
	262,   // ExceededTimeLimit
	365,   // TemporarilyUnavailable
	9001,  // SocketException
	10058, // NotPrimary of old
	10107, // NotWritablePrimary
	11600, // InterruptedAtShutdown
	11601, // Interrupted
	11602, // InterruptedDueToReplStateChange
	13435, // NotPrimaryNoSecondaryOk
	13436, // NotPrimaryOrSecondary
	14031, // OutOfDiskSpace
}

package records

// NewRecalling is New, and returns the cache of responses too.
var NewRecalling = newApp

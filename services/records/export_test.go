package records

// NewRecalling is New, and what recalls the answers of the application.
var NewRecalling = newApp

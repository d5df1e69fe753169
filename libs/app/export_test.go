package app

// ServeApp is serveApp for tests.
var ServeApp = serveApp

// Patient is patient for tests.
var Patient = patient

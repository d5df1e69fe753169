package app

// ServeApp is serveApp for tests.
var ServeApp = serveApp

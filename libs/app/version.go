package app

// version is set by the linker when a release or an image is built (-X
// github.com/eventcarbon/ecf/libs/app.version=2.0.0), since the sources there have no version history.
var version string

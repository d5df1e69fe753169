package app

// version is set by the linker when a release or an image is built
// (-X github.com/eventcarbon/ecf/libs/app.version=2.0.0), as there the sources
// come without the history that would tell the revision.
var version string

package places

// Count is the number of places in the image.
func Count() int { return loaded().places.len() }

// At returns a place of the image.
func At(n int) Place { return loaded().place(n) }

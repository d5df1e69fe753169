package footprint

// EngineVersion names the method and code of a calculation. It rises with every
// change that can move a number, and is part of every result.
const EngineVersion = "1.2.0"

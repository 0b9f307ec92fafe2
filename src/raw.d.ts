// What webpack and jest hand over when a file of the Python package is imported.

declare module '*.py' {
  const source: string;
  export default source;
}

// Typed as unknown on purpose: the importer of JSON says what it must be.
declare module '*.json' {
  const value: unknown;
  export default value;
}

declare module '*.svg' {
  const source: string;
  export default source;
}

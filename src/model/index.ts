/** A report, its runs and its program as data, for every part of the extension. */
export * from './failingCase';
export * from './fix';
export * from './lineMarks';
export * from './forModel';
export * from './mimeType';
export * from './reportBus';
export * from './sha256';
export * from './speed';
export type * from './types';
export * from './validate';

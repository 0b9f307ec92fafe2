/** What is known of a report, its runs and its program, for every part of the extension. */
export * from './failingCase';
export * from './fix';
export * from './lineMarks';
export * from './mimeType';
export * from './reportBus';
export * from './sha256';
export * from './speed';
export type * from './types';
export * from './validate';

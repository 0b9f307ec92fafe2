declare module '*.py' {
  const text: string;
  export default text;
}

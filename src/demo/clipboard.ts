/** What the report takes of Lab's `@jupyterlab/apputils`, whose whole is an application. */
export const Clipboard = {
  copyToSystem: (text: string): void => {
    void navigator.clipboard.writeText(text);
  }
};

/** The commands' names, for every part that offers one, and for other extensions. */
export namespace CommandIDs {
  export const insert = 'kernelgate:insert';
  export const verify = 'kernelgate:verify';
  export const benchmark = 'kernelgate:benchmark';
  export const profile = 'kernelgate:profile';
  export const revealRun = 'kernelgate:reveal-run';
  export const revealCell = 'kernelgate:reveal-cell';
  export const runAgain = 'kernelgate:run-again';
  export const compareRun = 'kernelgate:compare-run';
  export const deleteRun = 'kernelgate:delete-run';
  export const showDifference = 'kernelgate:show-difference';
  export const insertComparison = 'kernelgate:insert-comparison';
  export const insertFix = 'kernelgate:insert-fix';
  export const insertFailingCase = 'kernelgate:insert-failing-case';
  export const copyForModel = 'kernelgate:copy-for-model';
  export const interrupt = 'kernelgate:interrupt';
  export const restartKernel = 'kernelgate:restart-kernel';
  export const insertInstallCell = 'kernelgate:insert-install-cell';
  export const newNotebook = 'kernelgate:new-notebook';
  export const pasteAndVerify = 'kernelgate:paste-and-verify';
  export const showPanel = 'kernelgate:show-panel';
}

/** Schemes that a browser executes or opens locally. */
const RUNNABLE = /^(javascript|data|vbscript|file|blob|about|view-source|filesystem):$/;

/** Whether a browser that is sent to the address would execute it, or open it on its own machine. */
export function isRunnable(address: string): boolean {
  return URL.canParse(address) && RUNNABLE.test(new URL(address).protocol);
}

/** Addresses that browsers are sent to. */

/** Schemes that a browser would run or open rather than visit. */
const RUNNABLE = /^(javascript|data|vbscript|file|blob|about|view-source|filesystem):$/;

/** Whether a browser that is sent to the address would run it or open it from the machine it is on. */
export function isRunnable(address: string): boolean {
  return URL.canParse(address) && RUNNABLE.test(new URL(address).protocol);
}

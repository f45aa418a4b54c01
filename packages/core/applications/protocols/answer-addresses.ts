/** Addresses of applications that answers of other protocols than OpenID Connect go to. Pure. */
import { isReadableByOthers, isRunnable } from "./addresses.ts";

const LENGTH_MAX = 2_048;

/** Whether a form with an assertion may be posted to an address: the browser may go there, and it has no fragment. */
export function canTakeForms(address: string): boolean {
  return canBeLedTo(address) && URL.parse(address)?.hash === "";
}

/** Whether a browser may be sent to an address: it is on the web, and the way there is safe. */
export function canBeLedTo(address: string): boolean {
  const url = URL.parse(address);
  return (
    address.length <= LENGTH_MAX &&
    (url?.protocol === "https:" || url?.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    !isRunnable(address) &&
    !isReadableByOthers(address)
  );
}

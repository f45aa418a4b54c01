/** Calls applications that get tickets for proxies. Loaded when one asks: most containers call none. */
import { type Exempt, FetchRefused, fetchPublic } from "../../kernel/public-fetch.ts";

/** Bytes of the answer, which has no meaning. */
const BYTES_MAX = 65_536;

/** Calls an address, by the rules of public-fetch.ts. Returns why it did not answer with 200, for the application. */
export async function callApplication(address: string, exempt: Exempt): Promise<string | undefined> {
  try {
    await fetchPublic(address, exempt, BYTES_MAX);
    return undefined;
  } catch (error) {
    if (error instanceof FetchRefused) return error.message;
    throw error;
  }
}

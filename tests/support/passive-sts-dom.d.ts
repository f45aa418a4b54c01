import type { ReadToken } from "./passive-sts.ts";

/** Verifies the signature of a token and reads what it covers. Throws for one that is not right. */
export declare function readByDom(wresult: string, certificate: string): ReadToken;

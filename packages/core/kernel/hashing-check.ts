/** Whether this runtime can hash passwords. */
import { argon2Sync } from "node:crypto";

/** The least work that argon2id allows: about a millisecond. A test compares the runtime with RFC 9106 as well. */
const LEAST = {
  message: Buffer.alloc(32, 1),
  nonce: Buffer.alloc(16, 2),
  parallelism: 1,
  tagLength: 32,
  memory: 8,
  passes: 1,
};
const TAG = "27094ba97a2f6ad140cfbb1ffb6c8f2508b68f5e32272544c77cdd7b6994faef";

/**
 * Checks that this runtime computes argon2id (RFC 9106). Node.js leaves that to OpenSSL, which has it since
 * 3.2, and Lambda may replace both. Throws an `Error` for operators. A function that hashes passwords calls it at its
 * start: so a version that cannot hash is noticed before it gets traffic (decision 0176).
 */
export function checkHashing(derive: typeof argon2Sync = argon2Sync): void {
  let tag: string;
  try {
    tag = derive("argon2id", LEAST).toString("hex");
  } catch (cause) {
    throw new Error(
      `${START}: OpenSSL ${process.versions.openssl} has no argon2id, which needs 3.2 or later. ${REMEDY}`,
      {
        cause,
      },
    );
  }
  if (tag !== TAG) throw new Error(`${START}: argon2id gives another hash than it must. ${REMEDY}`);
}

const START = `This runtime (Node.js ${process.versions.node}) cannot hash passwords`;
const REMEDY =
  'Go back with "npm run rollback", and pin the version of the runtime that worked (docs/alarms.md, "FunctionCrashes").';

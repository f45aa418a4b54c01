/**
 * Fast stand-ins for the hashes of passwords, for tests that set or try many: `vi.mock` puts `standInHashes` in place of
 * `#core/kernel/password.ts`. A test file that does so has modules of its own (`longAlone` in tests/long.ts).
 */
import { vi } from "vitest";
import type * as passwords from "#core/kernel/password.ts";

const hashOf = (password: string): string => `stand-in of ${password}`;

export const standInHashes = (real: typeof passwords): typeof passwords => ({
  ...real,
  hashPassword: async (password) => hashOf(password),
  digestPassword: async (password, owner) => `digest of ${password} of ${owner}`,
  verifyPassword: vi.fn(async (password: string, hash: string) => hash === hashOf(password)),
  verifyNothing: vi.fn(async () => false as const),
});

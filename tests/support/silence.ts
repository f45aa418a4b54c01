/**
 * Functions write several lines of log for each request. Vitest would send each to its main process, which takes as long
 * as many requests, to be thrown away there. Tests that read the log replace these methods themselves.
 */
for (const method of ["debug", "info", "log", "warn", "error"] as const) console[method] = () => {};

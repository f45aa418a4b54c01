/** The source of all operations that take changes back. */
export const SOURCE = "decision 0084";

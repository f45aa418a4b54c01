/** Deployments with user stores beside PRIMARY. */

/** Two more stores in the table: SECOND and THIRD. */
export const TWO_STORES = `
[[user_store]]
domain = "second"
kind = "dynamodb"
[[user_store]]
domain = "THIRD"
kind = "dynamodb"
description = "A third one"
`;

/** What Pulumi passes for a value that is known after a deployment only. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

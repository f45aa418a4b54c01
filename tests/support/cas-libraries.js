// A library of others for CAS. Plain JavaScript: its types do not fit how it is loaded.
export { default as httpCasClient } from "http-cas-client";

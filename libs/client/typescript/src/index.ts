/**
 * A client of the Event Carbon Footprint Service: openapi-fetch over the types
 * of the service's OpenAPI document, with tokens that renew themselves, calls
 * that are repeated where that cannot do harm, lists read to their end, and
 * waiting for results.
 */
export { type Client, type ClientOptions, createClient, type Tokens } from "./client.js";
export { ApiError, type ErrorDetail, NoAnswer, NotModified } from "./errors.js";
export type { components, operations, paths } from "./schema.js";

/** The response to a call without its envelope: JSON of the result, or of the error object. */
export type RpcResponse = { readonly result: string } | { readonly error: string }

import { methods } from '@fairlead/grpc/contract'

// A gRPC service may be in a package or not.
const form = /^\/[A-Za-z_][\w.]*\/[A-Za-z_]\w*$/

/** Returns whether a path has the form of a call: `/<package>.<Service>/<Method>`. */
export function isCallPath(path: string): boolean {
  return path.length <= 1_024 && form.test(path)
}

/** Returns the metrics label of a call: its path when the contract defines it, never a text that the caller chose. */
export function labelOf(path: string): string {
  return Object.hasOwn(methods, path) ? path : 'unknown'
}

/** Returns whether the contract defines a method that streams messages, on either side. */
export function isStreamingMethod(path: string): boolean {
  const method = contractMethod(path)
  return method !== undefined && (method.requestStream || method.responseStream)
}

/**
 * Returns whether the contract defines a method with one message on either side; false for methods that it does not
 * define.
 */
export function isUnaryMethod(path: string): boolean {
  const method = contractMethod(path)
  return method !== undefined && !method.requestStream && !method.responseStream
}

function contractMethod(path: string) {
  return Object.hasOwn(methods, path) ? methods[path] : undefined
}

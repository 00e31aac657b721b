import { methods } from '@fairlead/grpc/contract'

// A service may stand in a package or not.
const form = /^\/[A-Za-z_][\w.]*\/[A-Za-z_]\w*$/

/** Tells whether a path can be that of a call: `/<package>.<Service>/<Method>`. */
export function isCallPath(path: string): boolean {
  return path.length <= 1_024 && form.test(path)
}

/** What a call is counted as: its path when the contract knows it, never a text that the caller chose. */
export function labelOf(path: string): string {
  return Object.hasOwn(methods, path) ? path : 'unknown'
}

/** Tells whether the contract says that a method's messages come as streams, on either side. */
export function isStreamingMethod(path: string): boolean {
  const method = known(path)
  return method !== undefined && (method.requestStream || method.responseStream)
}

/** Tells whether the contract says that a method has one message on either side; of others it says nothing. */
export function isUnaryMethod(path: string): boolean {
  const method = known(path)
  return method !== undefined && !method.requestStream && !method.responseStream
}

function known(path: string) {
  return Object.hasOwn(methods, path) ? methods[path] : undefined
}

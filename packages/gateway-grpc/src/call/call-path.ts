import { methods } from '@fairlead/grpc/contract'
import { policies } from '../generated/method-policies.ts'
import { type CalledMethod, unknownMethod } from './grpc-policy.ts'

const methodByPath: ReadonlyMap<string, CalledMethod> = new Map(
  Object.entries(policies).map(([path, policy]) => {
    const { requestStream = false, responseStream = false } = methods[path] ?? {}
    return [path, { label: path, isStream: requestStream || responseStream, policy }]
  }),
)

// A gRPC service may be in a package or not.
const form = /^\/[A-Za-z_][\w.]*\/[A-Za-z_]\w*$/

/** Returns whether a path has the form of a call: `/<package>.<Service>/<Method>`. */
export function isCallPath(path: string): boolean {
  return path.length <= 1_024 && form.test(path)
}

/** Finds a method by the path of its calls. */
export function methodOf(path: string): CalledMethod {
  return methodByPath.get(path) ?? unknownMethod
}

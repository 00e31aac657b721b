import type { ParamsOption } from 'openapi-fetch'
import type { paths } from './generated/index.ts'

/** The operation of a path and a method, as the specification describes it. */
export type Operation<path extends keyof paths, method extends 'get' | 'post'> = paths[path][method]

/** The body of the 200 response of an operation. */
export type ResponseBody<operation, media extends string = 'application/json'> = operation extends {
  responses: { 200: { content: Record<media, infer body> } }
}
  ? body
  : never

/** The paths whose operation can respond in a media type. */
export type PathResponding<method extends 'get' | 'post', media extends string> = {
  [path in keyof paths]: ResponseBody<Operation<path, method>, media> extends never ? never : path
}[keyof paths]

/** The parameters of a call in addition to its path. */
export type CallInit<operation> = ParamsOption<operation> & {
  /** Cancels the call; the abort reason is thrown unchanged. */
  readonly signal?: AbortSignal | undefined
}

/** Optional when no parameter is required. */
export type OptionalInit<init> = object extends init ? [init?: init] : [init: init]

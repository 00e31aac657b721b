import type { ParamsOption } from 'openapi-fetch'
import type { paths } from './generated/index.ts'

/** The operation of a path and a method, as the specification describes it. */
export type Operation<path extends keyof paths, method extends 'get' | 'post'> = paths[path][method]

/** What an operation answers with when all is well. */
export type Answer<operation, media extends string = 'application/json'> = operation extends {
  responses: { 200: { content: Record<media, infer body> } }
}
  ? body
  : never

/** The paths whose operation can answer in a media type. */
export type PathAnswering<method extends 'get' | 'post', media extends string> = {
  [path in keyof paths]: Answer<Operation<path, method>, media> extends never ? never : path
}[keyof paths]

/** What a call takes beside its path. */
export type CallInit<operation> = ParamsOption<operation> & {
  /** Ends the call; the reason of the abort is thrown unchanged. */
  readonly signal?: AbortSignal | undefined
}

/** Left out where nothing is required. */
export type OptionalInit<init> = object extends init ? [init?: init] : [init: init]

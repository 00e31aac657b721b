/** How the text of an option is read. */
export type OptionKind = 'string' | 'integer' | 'number' | 'boolean' | 'url' | 'secret' | 'enum'

/** One option: where it comes from, what it may be and what it is for. */
export interface Option {
  readonly kind: OptionKind
  readonly environment: string
  readonly description: string
  readonly fallback?: string | number | boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly values?: readonly string[]
  /** What a text must look like, and how to say so; the rule ends the sentence "must be". */
  readonly form?: { readonly pattern: { test(text: string): boolean }; readonly rule: string }
  /** Under which heading an option of a protocol is shown; the upstreams when left out. */
  readonly topic?: 'upstreams' | 'limits'
  /** Whether a running gateway applies a new value when it reloads its configuration. */
  readonly reload?: boolean
}

/** Options by name. */
export type OptionGroup = Readonly<Record<string, Option>>

type ValueOf<option extends Option> = Option extends option
  ? string | number | boolean
  : option['kind'] extends 'integer' | 'number'
    ? number
    : option['kind'] extends 'boolean'
      ? boolean
      : option extends { readonly values: readonly (infer value)[] }
        ? value
        : string

/** The values of options; undefined where an option without a default is not set. */
export type ValuesOf<options extends OptionGroup> = Readonly<{
  [name in keyof options]:
    | ValueOf<options[name]>
    | (options[name] extends { readonly fallback: unknown } ? never : undefined)
}>

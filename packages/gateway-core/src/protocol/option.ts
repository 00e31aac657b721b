/** The type of an option. */
export type OptionKind = 'string' | 'integer' | 'number' | 'boolean' | 'url' | 'secret' | 'enum'

/** One option: its source, its valid values and its description. */
export interface Option {
  readonly kind: OptionKind
  readonly environment: string
  readonly description: string
  readonly fallback?: string | number | boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly values?: readonly string[]
  /** The required form of a text, and its description; the rule ends the sentence "must be". */
  readonly form?: { readonly pattern: { test(text: string): boolean }; readonly rule: string }
  /** The heading for a protocol's option in the documentation; the upstreams when omitted. */
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

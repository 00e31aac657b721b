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
  /** Set on an option that a running service takes over when it is told to read its configuration again. */
  readonly reload?: boolean
}

import { FairleadError } from '@fairlead/core'
import { parseDocument } from 'yaml'
import { type Configuration, type Option, type OptionName, options } from './options.ts'

/**
 * Parses the configuration from a file's text and the environment. The environment takes precedence.
 *
 * @param environment - variables such as `process.env`; an empty value counts as absent
 * @param file - name and text of a YAML or JSON file with the option names as keys
 * @returns all options, frozen
 * @throws {@link FairleadError} `CONFIG_INVALID` that names the option, its source and the rule; never the value
 * @example
 * ```ts
 * const configuration = parseConfiguration(process.env, { name: 'fairlead.yaml', text: 'port: 9000' })
 * ```
 */
export function parseConfiguration(
  environment: Readonly<Record<string, string | undefined>>,
  file?: { readonly name: string; readonly text: string },
): Configuration {
  for (const [name, variable] of Object.entries(environment)) {
    if (variable) rejectRemoved(name, name)
  }
  const fromFile = file ? parseFile(file.name, file.text) : {}
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(options) as [OptionName, Option][]) {
    const text = environment[option.environment]
    const [value, source] =
      text !== undefined && text !== ''
        ? [text, option.environment]
        : [fromFile[name], `${name} in ${file?.name}`]
    values[name] = value === undefined || value === null ? option.fallback : readValue(option, value, source)
  }
  return Object.freeze(values) as Configuration
}

function parseFile(name: string, text: string): Readonly<Record<string, unknown>> {
  const invalid = (rule: string) => new FairleadError('CONFIG_INVALID', { option: name, rule })
  // A warning counts as an error, for example a password that begins like a tag. The parser's messages quote the file,
  // including secrets, so only the kind of error and its position are reported.
  const document = parseDocument(text, { logLevel: 'error' })
  const [mistake] = [...document.errors, ...document.warnings]
  if (mistake) {
    const { line = 1, col = 1 } = mistake.linePos?.[0] ?? {}
    throw invalid(`must be YAML or JSON; line ${line}, column ${col}: ${mistake.code}`)
  }
  const content = contentOf(document)
  if (content === undefined)
    throw invalid('must be YAML or JSON without aliases; quote strings that begin with *')
  if (content === null) return {}
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw invalid(`must contain an object, not ${kindOf(content)}`)
  }
  for (const key of Object.keys(content)) {
    if (Object.hasOwn(options, key)) continue
    rejectRemoved(key, `${key} in ${name}`)
    const rule = `does not exist; known options are ${Object.keys(options).join(', ')}`
    throw new FairleadError('CONFIG_INVALID', { option: `${key} in ${name}`, rule })
  }
  return content as Readonly<Record<string, unknown>>
}

// Ignored, these would silently weaken or change the access.
const removedOptions: ReadonlyMap<string, string> = new Map(
  ['trustProxy', 'FAIRLEAD_TRUST_PROXY'].map((name) => [
    name,
    'was removed: it trusted all private networks, whose clients could choose their own address; list the proxies in trustedProxies (FAIRLEAD_TRUSTED_PROXIES)',
  ]),
)

/** @throws FairleadError `CONFIG_INVALID` when an option of this name existed in the past */
function rejectRemoved(name: string, source: string): void {
  const rule = removedOptions.get(name)
  if (rule !== undefined) throw new FairleadError('CONFIG_INVALID', { option: source, rule })
}

function contentOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 }) ?? null
  } catch {
    return undefined
  }
}

function readValue(option: Option, value: unknown, source: string): string | number | boolean {
  const invalid = (rule: string) =>
    new FairleadError('CONFIG_INVALID', { option: source, rule: `must be ${rule}, not ${kindOf(value)}` })
  switch (option.kind) {
    case 'integer': {
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = option
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
      if (typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum)
        return number
      throw invalid(`an integer from ${minimum} to ${maximum}`)
    }
    case 'number': {
      const { minimum = 0, maximum = Number.MAX_VALUE } = option
      const number = typeof value === 'string' && /^\d*\.?\d+$/.test(value) ? Number(value) : value
      if (typeof number === 'number' && number >= minimum && number <= maximum) return number
      throw invalid(`a number from ${minimum} to ${maximum}`)
    }
    case 'boolean':
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      throw invalid('true or false')
    case 'url':
      if (typeof value === 'string' && /^https?:\/\/[^/?#@\s]+\/?$/.test(value) && URL.canParse(value))
        return value.replace(/\/$/, '')
      throw invalid('an http or https URL without path or credentials')
    case 'enum':
      if (typeof value === 'string' && option.values?.includes(value)) return value
      throw invalid(`one of ${option.values?.join(', ')}`)
    case 'string':
    case 'secret':
      if (typeof value === 'string' && value !== '' && (option.form?.pattern.test(value) ?? true))
        return value
      throw invalid(option.form?.rule ?? 'a non-empty string')
    default:
      return option.kind satisfies never
  }
}

// Never returns the value itself: a misplaced option may be a secret.
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value === '') return 'an empty string'
  const kinds = { string: 'this string', boolean: 'a boolean', number: 'this number', object: 'an object' }
  return kinds[typeof value as keyof typeof kinds] ?? typeof value
}

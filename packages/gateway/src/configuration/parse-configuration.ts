import { FairleadError } from '@fairlead/core'
import { parse as parseYaml } from 'yaml'
import { type Configuration, type Option, type OptionName, options } from './options.ts'

/**
 * Reads the configuration once, from a file's text and the environment; the environment wins.
 *
 * @param environment - variables such as `process.env`; an empty value counts as absent
 * @param file - name and text of a YAML or JSON file with the option names as keys
 * @returns all options, frozen
 * @throws {@link FairleadError} `CONFIG_INVALID` naming the option, where it came from and the rule; never the value
 * @example
 * ```ts
 * const configuration = parseConfiguration(process.env, { name: 'fairlead.yaml', text: 'port: 9000' })
 * ```
 */
export function parseConfiguration(
  environment: Readonly<Record<string, string | undefined>>,
  file?: { readonly name: string; readonly text: string },
): Configuration {
  const fromFile = file ? readFile(file.name, file.text) : {}
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(options) as [OptionName, Option][]) {
    const text = environment[option.environment]
    const [value, source] =
      text !== undefined && text !== '' ? [text, option.environment] : [fromFile[name], `${name} in ${file?.name}`]
    values[name] = value === undefined || value === null ? option.fallback : readValue(option, value, source)
  }
  return Object.freeze(values) as Configuration
}

function readFile(name: string, text: string): Readonly<Record<string, unknown>> {
  let content: unknown
  try {
    content = parseYaml(text)
  } catch (error) {
    // The first line says what and where; the rest of the parser's message quotes the file.
    const [reason] = (error as Error).message.split('\n')
    throw new FairleadError('CONFIG_INVALID', { option: name, rule: `must be YAML or JSON: ${reason}` })
  }
  if (content === null || content === undefined) return {}
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new FairleadError('CONFIG_INVALID', { option: name, rule: `must hold an object, not ${kindOf(content)}` })
  }
  for (const key of Object.keys(content)) {
    if (key in options) continue
    const rule = `does not exist; known options are ${Object.keys(options).join(', ')}`
    throw new FairleadError('CONFIG_INVALID', { option: `${key} in ${name}`, rule })
  }
  return content as Readonly<Record<string, unknown>>
}

function readValue(option: Option, value: unknown, source: string): string | number | boolean {
  const invalid = (rule: string) =>
    new FairleadError('CONFIG_INVALID', { option: source, rule: `must be ${rule}, not ${kindOf(value)}` })
  switch (option.kind) {
    case 'integer': {
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = option
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
      if (typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum) return number
      throw invalid(`an integer from ${minimum} to ${maximum}`)
    }
    case 'boolean':
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      throw invalid('true or false')
    case 'url':
      if (typeof value === 'string' && /^https?:\/\/[^/?#@\s]+\/?$/.test(value)) return value.replace(/\/$/, '')
      throw invalid('an http or https URL without path or credentials')
    case 'enum':
      if (typeof value === 'string' && option.values?.includes(value)) return value
      throw invalid(`one of ${option.values?.join(', ')}`)
    case 'string':
    case 'secret':
      if (typeof value === 'string' && value !== '') return value
      throw invalid('a text')
    default:
      return option.kind satisfies never
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return `the number ${value}`
  return { string: 'this text', boolean: 'a boolean', object: 'an object' }[typeof value as string] ?? typeof value
}

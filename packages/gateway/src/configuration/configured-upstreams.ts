import { FairleadError } from '@fairlead/core'
import { parseUpstreams, type UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamField } from '@fairlead/gateway-core/protocol/description'
import type { Option } from '@fairlead/gateway-core/protocol/option'
import type { ProtocolModule } from '@fairlead/gateway-core/protocol/module'
import { protocolModules } from '../protocols.ts'
import type { Configuration } from './options.ts'

/** An upstream field of a protocol, with its option. */
interface ConfiguredField {
  readonly field: UpstreamField
  readonly environment: string
  readonly text: string | undefined
}

/**
 * Returns the upstream URLs of the configured node, by the names that records have for their fields.
 *
 * @param configuration - parsed configuration
 * @returns at least one; several upstreams are in one string, as `parseUpstreams` reads it
 * @throws FairleadError `CONFIG_INVALID` when there is none, when one is not a URL, or when one has a JWT secret that
 * cannot be used; the message holds neither
 */
export function configuredUpstreams(configuration: Configuration): Readonly<Record<string, string>> {
  const fields = fieldsOf(configuration, protocolModules)
  const required = fields.filter(({ field }) => field.requires === undefined)
  if (required.every(({ text }) => text === undefined)) {
    throw new FairleadError('CONFIG_INVALID', {
      option: eitherOf(required.map(({ environment }) => environment)),
      rule: 'must be the URL of an upstream; `fairlead dev` runs without one',
    })
  }
  for (const { field, environment, text } of fields) {
    const needed = fields.find((candidate) => candidate.field.name === field.requires?.field)
    if (text === undefined || needed === undefined || needed.text !== undefined) continue
    throw new FairleadError('CONFIG_INVALID', {
      option: environment,
      rule: `requires ${needed.environment}, ${field.requires?.optionDescription}`,
    })
  }
  for (const configured of fields) checkAddresses(configured)
  return Object.fromEntries(
    fields.flatMap(({ field, text }) => (text === undefined ? [] : [[field.recordName, text.trim()]])),
  )
}

/** Returns the upstream URLs that the operator has configured, of all protocols. */
export function configuredAddresses(
  configuration: Configuration,
  modules: readonly ProtocolModule[],
): ReadonlySet<string> {
  const texts = fieldsOf(configuration, modules).map(({ text = '' }) => text)
  return new Set(texts.flatMap((text) => parseUpstreams(text)).map(({ address }) => address))
}

function fieldsOf(
  configuration: Readonly<Record<string, unknown>>,
  modules: readonly ProtocolModule[],
): readonly ConfiguredField[] {
  return modules.flatMap(({ description, options }) =>
    description.upstreamFields.map((field) => ({
      field,
      environment: (options[field.option] as Option).environment,
      text: configuration[field.option] as string | undefined,
    })),
  )
}

function eitherOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

function checkAddresses({ field, environment: option, text = '' }: ConfiguredField): void {
  const { schemes, check, optionRule = 'the URL of an upstream' } = field
  for (const record of parseUpstreams(text, option)) {
    const isAddress = URL.canParse(record.address) && schemes.includes(new URL(record.address).protocol)
    if (!isAddress || check?.(record.address) !== undefined) {
      throw new FairleadError('CONFIG_INVALID', { option, rule: `must be ${optionRule}` })
    }
    checkJwt(field, option, record)
  }
}

function checkJwt(
  { checkJwtSecret }: UpstreamField,
  option: string,
  { jwtSecretFile }: UpstreamRecord,
): void {
  if (jwtSecretFile === undefined) return
  if (!checkJwtSecret) {
    throw new FairleadError('CONFIG_INVALID', {
      option,
      rule: 'must not have jwt, which only EVM upstreams support',
    })
  }
  checkJwtSecret(jwtSecretFile, option)
}

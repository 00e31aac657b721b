import { randomBytes } from 'node:crypto'
import { parseEnv } from 'node:util'
import { parseConfiguration } from '@fairlead/gateway'
import { renderMermaidSVG } from 'beautiful-mermaid'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { allFences, type Fence, placeOf } from '../pages/fence.ts'
import { parseUnit } from '../deploy/unit.ts'
import { problemOfVariable } from '../shell/problem-of-command.ts'

const fencesOf = (language: string) =>
  allFences.filter((fence) => fence.language === language).map((fence) => [placeOf(fence), fence] as const)

it.each(fencesOf('json'))('%s is JSON', (_, { text }) => {
  expect(() => JSON.parse(text) as unknown).not.toThrow()
})

it.each(fencesOf('yaml'))('%s is YAML', (_, { text, attributes }) => {
  const problems = parseAllDocuments(text).flatMap(({ errors, warnings }) => [...errors, ...warnings])
  expect(problems).toEqual([])
  if (attributes.includes('fairlead.yaml')) {
    expect(() => parseConfiguration({}, { name: 'fairlead.yaml', text })).not.toThrow()
  }
})

it('what looks like a configuration is checked as one', () => {
  const names = /^(?:evmUpstream|beaconUpstream|host|port|publicUrl|oidcIssuer|trustedProxies):/m
  const unchecked = allFences.filter(
    ({ language, attributes, text }) =>
      language === 'yaml' && names.test(text) && !attributes.includes('fairlead.yaml'),
  )
  expect(unchecked.map(placeOf)).toEqual([])
})

it.each(fencesOf('env'))('%s is a valid environment of the gateway', (_, { text }) => {
  const variables = parseEnv(text)
  expect(Object.keys(variables).flatMap((name) => problemOfVariable(name) ?? [])).toEqual([])
  const { FAIRLEAD_SECRET_KEY: key } = variables
  if (key === undefined) {
    expect(() => parseConfiguration(variables)).not.toThrow()
    return
  }
  // The key of a page must not be usable: the gateway rejects it, and accepts the rest of the configuration.
  expect(() => parseConfiguration(variables)).toThrow('FAIRLEAD_SECRET_KEY')
  const filledIn = { ...variables, FAIRLEAD_SECRET_KEY: randomBytes(32).toString('hex') }
  expect(() => parseConfiguration(filledIn)).not.toThrow()
})

it.each(fencesOf('ini'))('%s is a unit', (_, { text }) => {
  expect(parseUnit(text).length).toBeGreaterThan(0)
})

it.each(fencesOf('http'))('%s is a request', (_, fence) => {
  expect(problemOfRequest(fence)).toBeUndefined()
})

it.each(fencesOf('mermaid'))('%s can be drawn', (_, { text }) => {
  const drawn = renderMermaidSVG(text)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
  // The text of each node and each arrow. The renderer silently omits what it cannot draw.
  const texts = [...text.matchAll(/\[\(?([^\])]+)|-[-.] ([^->.\n][^>\n]*?) (?:\.-|--)/g)].map(
    ([, part, arrow]) => part ?? arrow,
  )
  expect(texts.filter((words) => !drawn.includes(words ?? ''))).toEqual([])
})

function problemOfRequest({ text }: Fence): string | undefined {
  const [head = '', body = ''] = text.split(/\n\n([^]*)/)
  const [line = '', ...fields] = head.split('\n')
  if (!/^(?:GET|POST|PUT|PATCH|DELETE) \/\S* HTTP\/1\.1$/.test(line)) return 'the first line is no request'
  if (fields.some((field) => !/^[\w-]+: \S/.test(field))) return 'a header field cannot be'
  const isJson = fields.includes('Content-Type: application/json')
  if (isJson && body !== '') JSON.parse(body)
  return undefined
}

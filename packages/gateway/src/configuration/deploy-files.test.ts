import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { type Option, options } from './options.ts'
import { parseConfiguration } from './parse-configuration.ts'

const deploy = new URL('../../../../deploy/', import.meta.url)
const text = (name: string) => readFileSync(new URL(name, deploy), 'utf8')

const kinds = new Map(
  (Object.values(options) as Option[]).map(({ environment, kind }) => [environment, kind]),
)

interface Manifest {
  readonly kind: string
  readonly data?: Record<string, string>
  readonly stringData?: Record<string, string>
  readonly spec?: Record<string, unknown>
}

const documents = parseAllDocuments(text('kubernetes/fairlead.yaml'))
const manifests = documents.map((document) => document.toJS() as Manifest)
const manifest = (kind: string) => manifests.find((candidate) => candidate.kind === kind)
const written = { ...manifest('ConfigMap')?.data, ...manifest('Secret')?.stringData }
const environment = { ...written, FAIRLEAD_SECRET_KEY: randomBytes(32).toString('hex') }

it('the manifests contain no secret key, so that nothing starts without one', () => {
  expect(() => parseConfiguration(written)).toThrow('FAIRLEAD_SECRET_KEY')
})

it('the manifests are valid YAML with one resource of each kind', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
  expect(manifests.map(({ kind }) => kind)).toEqual([
    'ConfigMap',
    'Secret',
    'Deployment',
    'Service',
    'PodDisruptionBudget',
    'HorizontalPodAutoscaler',
    'NetworkPolicy',
  ])
})

it('every variable of the manifests is an option with a valid value', () => {
  expect(Object.keys(environment).filter((name) => !kinds.has(name))).toEqual([])
  expect(parseConfiguration(environment)).toMatchObject({ port: 8645, drainDelayMs: 8_000 })
})

it('the Secret contains exactly the variables that can hold secrets', () => {
  const isSecret = (name: string) => kinds.get(name) === 'secret'
  expect(Object.keys(manifest('ConfigMap')?.data ?? {}).filter(isSecret)).toEqual([])
  expect(Object.keys(manifest('Secret')?.stringData ?? {}).filter((name) => !isSecret(name))).toEqual([])
})

it('a pod has time to drain and exposes the configured port', () => {
  const template = manifest('Deployment')?.spec?.['template'] as
    | { spec?: Record<string, unknown> }
    | undefined
  const pod = template?.spec ?? {}
  const { drainDelayMs, port } = parseConfiguration(environment)
  const drainMs = 10_500
  expect(Number(pod['terminationGracePeriodSeconds']) * 1_000).toBeGreaterThan(drainDelayMs + drainMs)
  const [container] = pod['containers'] as { ports: { containerPort: number }[] }[]
  expect(container?.ports[0]?.containerPort).toBe(port)
})

it('the variables for systemd are options, including those in comments', () => {
  const variables = parseEnv(text('systemd/fairlead.env').replaceAll(/^# (?=[A-Z_]+=)/gm, ''))
  expect(Object.keys(variables).filter((name) => !kinds.has(name))).toEqual([])
  expect(parseConfiguration(variables).processes).toBe(0)
})

it('the variables of the unit and the container are options', () => {
  const names =
    `${text('Containerfile')}${text('systemd/fairlead.service')}`.match(/\bFAIRLEAD_[A-Z_]+/g) ?? []
  expect(names.length).toBeGreaterThan(2)
  expect(names.filter((name) => !kinds.has(name))).toEqual([])
})

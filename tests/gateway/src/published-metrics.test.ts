import { readFileSync } from 'node:fs'
import type { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { readExpression } from './read-expression.ts'
import { respondWith } from '@fairlead/gateway-core/testing/with-call-id'

interface Published {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  readonly type: string
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}

interface Panel {
  readonly title: string
  readonly type: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] }
}

const folder = new URL('../../../docs/operations/', import.meta.url)
const text = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const dashboard = JSON.parse(text('grafana-dashboard.json')) as Dashboard
const { groups } = parse(text('alert-rules.yaml')) as {
  groups: readonly { readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap(({ rules: groupRules }) => groupRules)
const targets = dashboard.panels.flatMap(({ title, targets: panelTargets = [] }) =>
  panelTargets.map((target) => ({ title, ...target })),
)

// Labels that Prometheus itself adds to every series.
const targetLabels = ['job', 'instance']

let gateway: GatewayFixture
let published: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  // The metrics of the store exist even if the store is unreachable.
  gateway = await gatewayFixture(
    { FAIRLEAD_VALKEY_URL: 'redis://127.0.0.1:1', FAIRLEAD_BUILTIN_HTTP_SERVER: 'true' },
    'http://127.0.0.1:1',
  )
  published = new Map([...seriesOf(gateway.registry), ['up', []]])
}, 60_000)

afterAll(() => gateway.stop())

function metricsOf(registry: Registry): readonly Published[] {
  return registry.getMetricsAsArray() as unknown as readonly Published[]
}

/** Names of the series of a registry, with their labels. */
function seriesOf(registry: Registry): readonly (readonly [string, readonly string[]])[] {
  return metricsOf(registry).flatMap(({ name, type, labelNames }) =>
    type === 'histogram'
      ? [
          [`${name}_bucket`, [...labelNames, 'le']] as const,
          [`${name}_sum`, labelNames] as const,
          [`${name}_count`, labelNames] as const,
        ]
      : [[name, labelNames] as const],
  )
}

function byName(rows: readonly (readonly string[])[]) {
  return rows.toSorted(([left = ''], [right = '']) => left.localeCompare(right))
}

function expectKnown(expression: string): void {
  const { selectors, grouping, made } = readExpression(expression)
  expect(selectors.length, expression).toBeGreaterThan(0)
  const allowedLabels = new Set([...targetLabels, ...made])
  for (const { metric, labels } of selectors) {
    const labelValues = published.get(metric)
    expect(labelValues, `${metric} of ${expression}`).toBeDefined()
    expect([...(labelValues ?? []), ...targetLabels], `${metric} of ${expression}`).toEqual(
      expect.arrayContaining([...labels]),
    )
    for (const label of labelValues ?? []) allowedLabels.add(label)
  }
  expect([...allowedLabels], expression).toEqual(expect.arrayContaining([...grouping]))
}

/** Expects that the expression retains the labels that a text displays. */
function expectListed(matches: Iterable<RegExpMatchArray>, expression: string): void {
  const { selectors, grouping } = readExpression(expression)
  // Without a grouping, every label of the metric is retained.
  const left =
    grouping.size > 0
      ? [...grouping]
      : [...targetLabels, ...selectors.flatMap(({ metric }) => published.get(metric) ?? [])]
  for (const [, label] of matches) expect(left, expression).toContain(label)
}

it('the page lists exactly the metrics of the gateway', () => {
  const rows = text('metrics.md')
    .split('\n')
    .filter((line) => line.startsWith('| `fairlead_'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
  const ownMetrics = metricsOf(gateway.registry).filter(({ name }) => name.startsWith('fairlead_'))
  const expected = ownMetrics.map(({ name, type, labelNames, help }) => [
    `\`${name}\``,
    type,
    labelNames.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  expect(byName(rows)).toEqual(byName(expected))
})

it('the page lists the values of each label', () => {
  const labels = metricsOf(gateway.registry)
    .filter(({ name }) => name.startsWith('fairlead_'))
    .flatMap(({ labelNames }) => labelNames)
  const explained = [...text('metrics.md').matchAll(/^\| `(\w+)`(?: of \w+)? +\|/gm)].map((match) => match[1])
  expect(explained).toEqual(expect.arrayContaining([...new Set(labels)]))
})

describe('the dashboard', () => {
  it.each(targets)('shows existing metrics: $title: $expr', ({ expr, legendFormat }) => {
    expectKnown(expr)
    expectListed(legendFormat.matchAll(/\{\{(\w+)\}\}/g), expr)
  })

  it('offers existing label values', () => {
    const queries = dashboard.templating.list
      .map(({ query }) => (typeof query === 'string' ? query : query.query))
      .filter((query) => query.startsWith('label_values'))
    expect(queries.length).toBeGreaterThan(0)
    for (const query of queries) {
      const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? []
      expectKnown(`sum by (${label}) (${selector})`)
    }
  })

  it('has no overlapping panels', () => {
    const occupied = new Set<string>()
    for (const { title, gridPos } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(occupied.has(`${x} ${y}`), title).toBe(false)
          occupied.add(`${x} ${y}`)
        }
      }
    }
  })
})

describe('the alert rules', () => {
  it.each(rules)('query existing metrics: $alert', ({ expr, annotations }) => {
    expectKnown(expr)
    expectListed(annotations.summary.matchAll(/\$labels\.(\w+)/g), expr)
  })

  it('each have a section with instructions', () => {
    const sections = [...text('alerts.md').matchAll(/^## (\w+)$/gm)].map((match) => match[1])
    expect(sections).toEqual(rules.map(({ alert }) => alert))
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toMatch(
        new RegExp(`/docs/operations/alerts\\.md#${alert.toLowerCase()}$`),
      )
    }
  })
})

it('counts a call at its upstream', async () => {
  const node = await startTestNode(respondWith('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  const fixture = await gatewayFixture({}, node)
  try {
    for (let call = 0; call < 6; call++) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${fixture.url}/${fixture.first.token}`, { method: 'POST', body, headers })
      expect(await response.text()).toContain('result')
    }
    const metrics = await fixture.registry.metrics()
    const valueOf = (series: string) =>
      Number(new RegExp(`^${series.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(metrics)?.[1])
    const labels = `node="${fixture.first.nodeId}",field="evm",position="0"`
    const id = new RegExp(`^fairlead_upstream_info\\{upstream="(.*)",${labels}\\} 1$`, 'm').exec(metrics)?.[1]
    const upstream = `upstream="${id}"`
    expect(valueOf(`fairlead_upstream_calls_total{${upstream}}`)).toBeGreaterThan(0)
    expect(valueOf(`fairlead_upstream_wait_seconds_total{${upstream}}`)).toBeGreaterThan(0)
    expect(valueOf(`fairlead_upstream_failures_total{${upstream},kind="http_error"}`)).toBe(0)
    expect(valueOf('fairlead_node_requests_total{protocol="evm",method="eth_gasPrice",status="2xx"}')).toBe(6)
    expect(valueOf('fairlead_node_request_duration_seconds_count{protocol="evm"}')).toBe(6)
    expect(valueOf('fairlead_node_bytes_total{protocol="evm",direction="in"}')).toBeGreaterThan(300)
  } finally {
    await fixture.stop()
  }
}, 60_000)

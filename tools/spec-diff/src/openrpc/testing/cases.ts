import type { Json } from '@fairlead/codegen/src/bundle.ts'
import type { Bump } from '../../change.ts'

/** A change of one method, with the expected rating. */
export interface OpenrpcCase {
  readonly title: string
  readonly bump: Bump
  /** The method without its name. Undefined if the document does not have the method. */
  readonly base?: Json
  readonly head?: Json
}

const text: Json = { type: 'string' }
const number: Json = { type: 'integer' }
const param = (name: string, schema: Json = text, required = true): Json => ({ name, required, schema })
const failures = [
  { code: -32005, message: 'Limit exceeded' },
  { code: 3, message: 'Reverted' },
]
const subscription = (notification: Json): Json => ({
  heads: { summary: 'Heads.', notification, 'x-availability': ['geth'] },
})

function method(parts: Json): Json {
  return { paramStructure: 'by-position', params: [], result: { name: 'result', schema: text }, ...parts }
}

/** Test cases for the rules about OpenRPC. */
export const openrpcCases: readonly OpenrpcCase[] = [
  { title: 'method removed', bump: 'major', base: method({ summary: 'Counts the gulls.' }) },
  {
    title: 'method added',
    bump: 'minor',
    head: method({
      params: [param('a'), param('b', number)],
      result: { name: 'list', schema: { type: 'array' } },
    }),
  },
  { title: 'nothing', bump: 'none', base: method({}), head: method({}) },
  { title: 'words', bump: 'patch', base: method({ summary: 'Old.' }), head: method({ summary: 'New.' }) },
  { title: 'deprecated', bump: 'minor', base: method({}), head: method({ deprecated: true }) },
  {
    title: 'required parameter added',
    bump: 'major',
    base: method({ params: [param('a')] }),
    head: method({ params: [param('a'), param('b')] }),
  },
  {
    title: 'optional parameter added',
    bump: 'minor',
    base: method({ params: [param('a')] }),
    head: method({ params: [param('a'), param('b', text, false)] }),
  },
  {
    title: 'optional parameter removed',
    bump: 'major',
    base: method({ params: [param('a'), param('b', text, false)] }),
    head: method({ params: [param('a')] }),
  },
  {
    title: 'parameters swapped',
    bump: 'major',
    base: method({ params: [param('a'), param('b', number)] }),
    head: method({ params: [param('b', number), param('a')] }),
  },
  {
    title: 'parameter by position renamed',
    bump: 'patch',
    base: method({ params: [param('a')] }),
    head: method({ params: [param('b')] }),
  },
  {
    title: 'parameter by name renamed',
    bump: 'major',
    base: method({ paramStructure: 'by-name', params: [param('account')] }),
    head: method({ paramStructure: 'by-name', params: [param('address')] }),
  },
  {
    title: 'parameters by name from now on',
    bump: 'major',
    base: method({ params: [param('a')] }),
    head: method({ paramStructure: 'by-name', params: [param('a')] }),
  },
  {
    title: 'result retyped',
    bump: 'major',
    base: method({}),
    head: method({ result: { name: 'result', schema: number } }),
  },
  {
    title: 'error removed',
    bump: 'major',
    base: method({ errors: failures }),
    head: method({ errors: failures.slice(1) }),
  },
  {
    title: 'error added',
    bump: 'minor',
    base: method({ errors: failures.slice(1) }),
    head: method({ errors: failures }),
  },
  {
    title: 'client no longer serves it',
    bump: 'major',
    base: method({ 'x-availability': ['geth', 'reth'] }),
    head: method({ 'x-availability': ['geth'] }),
  },
  {
    title: 'another client serves it',
    bump: 'minor',
    base: method({ 'x-availability': ['geth'] }),
    head: method({ 'x-availability': ['geth', 'reth'] }),
  },
  {
    title: 'transport removed',
    bump: 'major',
    base: method({}),
    head: method({ 'x-transports': ['websocket'] }),
  },
  {
    title: 'no longer repeated',
    bump: 'minor',
    base: method({}),
    head: method({ 'x-idempotent': false }),
  },
  {
    title: 'notification retyped',
    bump: 'major',
    base: method({ 'x-subscriptions': subscription(text) }),
    head: method({ 'x-subscriptions': subscription(number) }),
  },
  {
    title: 'subscription removed',
    bump: 'major',
    base: method({ 'x-subscriptions': subscription(text) }),
    head: method({}),
  },
  {
    title: 'overload retyped',
    bump: 'major',
    base: method({ 'x-overloads': [{ when: { full: true }, result: text }] }),
    head: method({ 'x-overloads': [{ when: { full: true }, result: number }] }),
  },
]

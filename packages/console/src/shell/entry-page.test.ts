import { describe, expect, it } from 'vitest'
import type { Session, SessionState } from '../platform/session.tsx'
import { Problem } from '../platform/problem.ts'
import { type EntryPage, entryPageOf, invitationPath } from './entry-page.ts'
import { navigationItemOf } from './navigation-items.ts'

const session: Session = {
  id: 'SE-1',
  user: { id: 'UR-1', email: 'ines@example.test', first_name: 'Ines', last_name: 'Halvorsen' },
  organization: { id: 'RG-1', name: 'Example' },
  role: 'viewer',
  scopes: ['nodes:read'],
  csrf_token: 'token',
  expires_at: '2026-03-09T14:26:53.589793Z',
  must_change_password: false,
}

describe('entryPageOf', () => {
  it.each<[EntryPage, SessionState]>([
    ['waiting', { kind: 'unknown' }],
    ['failed', { kind: 'failed', problem: new Problem(0, { code: 'unreachable', message: '' }) }],
    ['sign-in', { kind: 'signed-out', reason: 'session-ended' }],
    ['new-password', { kind: 'signed-in', session: { ...session, must_change_password: true } }],
    ['open', { kind: 'signed-in', session }],
  ])('returns %s', (entryPage, state) => {
    expect(entryPageOf('/console/nodes', state)).toBe(entryPage)
    expect(entryPageOf(invitationPath, state)).toBe('invitation')
  })
})

describe('navigationItemOf', () => {
  it.each([
    ['/console', '/console/'],
    ['/console/nodes', '/console/nodes'],
    ['/console/nodes/ND-1/rules', '/console/nodes'],
    ['/console/nodesque', undefined],
    ['/console/nothing', undefined],
  ])('returns for %s the item %s', (path, href) => {
    expect(navigationItemOf(path)?.href).toBe(href)
  })
})

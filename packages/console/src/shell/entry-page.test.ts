import { describe, expect, it } from 'vitest'
import type { Session, SessionState } from '../platform/session.tsx'
import { Problem } from '../platform/problem.ts'
import { type Entrance, entranceOf, invitationPath } from './entry-page.ts'
import { placeOf } from './navigation-items.ts'

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

describe('what a reader sees first', () => {
  it.each<[Entrance, SessionState]>([
    ['waiting', { kind: 'unknown' }],
    ['failed', { kind: 'failed', problem: new Problem(0, { code: 'unreachable', message: '' }) }],
    ['sign-in', { kind: 'signed-out', hasEnded: true }],
    ['new-password', { kind: 'signed-in', session: { ...session, must_change_password: true } }],
    ['open', { kind: 'signed-in', session }],
  ])('is %s', (entrance, state) => {
    expect(entranceOf('/console/nodes', state)).toBe(entrance)
    expect(entranceOf(invitationPath, state)).toBe('invitation')
  })
})

describe('the place of a page', () => {
  it.each([
    ['/console', '/console/'],
    ['/console/nodes', '/console/nodes'],
    ['/console/nodes/ND-1/rules', '/console/nodes'],
    ['/console/nodesque', undefined],
    ['/console/nothing', undefined],
  ])('of %s is %s', (path, href) => {
    expect(placeOf(path)?.href).toBe(href)
  })
})

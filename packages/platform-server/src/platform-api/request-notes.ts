import type { FastifyRequest } from 'fastify'
import type { RequestOrigin } from './platform-call.ts'
import type { Identity } from '../identity/identity.ts'

/** Data collected about a request for its log line. */
export interface RequestNotes {
  operationId?: string
  identity?: Identity | undefined
  requestOrigin?: RequestOrigin
}

const notes = new WeakMap<FastifyRequest, RequestNotes>()

/** Returns the notes of a request; they are garbage-collected with it. */
export function requestNotes(request: FastifyRequest): RequestNotes {
  const existing = notes.get(request)
  if (existing !== undefined) return existing
  const created: RequestNotes = {}
  notes.set(request, created)
  return created
}

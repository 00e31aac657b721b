/** What a member may do in an organization. */
export type Role = 'owner' | 'admin' | 'editor' | 'viewer'

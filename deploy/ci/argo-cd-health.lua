-- Health of a Subscription or a Catalog for Argo CD. The conditions count only for the spec that they are about.
if obj.metadata.deletionTimestamp ~= nil then
  return { status = "Progressing", message = "It is being deleted" }
end
if obj.spec ~= nil and obj.spec.suspend == true then
  return { status = "Suspended", message = "spec.suspend stops all work on it" }
end
local status = obj.status
if status == nil or status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "The manager has not reconciled the current spec yet" }
end
local conditions = {}
for _, condition in ipairs(status.conditions or {}) do
  conditions[condition.type] = condition
end
local ready = conditions.Ready
local message = ready ~= nil and ready.message or "The manager has not reported its state yet"
if conditions.Stalled ~= nil and conditions.Stalled.status == "True" then
  return { status = "Degraded", message = message }
end
if conditions.Reconciling ~= nil and conditions.Reconciling.status == "True" then
  return { status = "Progressing", message = message }
end
if ready ~= nil and ready.status == "True" then
  return { status = "Healthy", message = message }
end
-- For a person, or for a better moment.
local waits = {
  ApprovalRequired = true,
  ApprovalVoid = true,
  AwaitingApproval = true,
  OperatorNotUpgradeable = true,
  OutsideWindow = true,
}
local pending = status.pending
if pending ~= nil and waits[pending.reason] then
  return { status = "Suspended", message = message }
end
return { status = "Progressing", message = message }

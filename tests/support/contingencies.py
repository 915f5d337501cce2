from bindery.domain.policy.contingencies import Contingency, DraftContingency


def numbered(draft: DraftContingency, contingency_id: str) -> Contingency:
    """Return a draft as the open contingency that storing it makes of it."""
    return Contingency(contingency_id, draft.kind, draft.type, draft.text)

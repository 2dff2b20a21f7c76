package dev.tutti.cluster.coordinator;

import java.util.List;

/**
 * What a member is told as soon as it changes.
 *
 * @param generation that of the present group of the member's role
 * @param changed why its members have to meet again, or null if they need not
 * @param orderly whether that is only because a member left in good order or wants to join, so no call waits in vain
 * @param lost ids of those of the group that are gone
 * @param gone why the member that is told is no longer one, or null
 * @param goneFor how it went, or null
 * @param version the configuration's
 * @param members how many members of any role have come and gone so far: rises when one does
 * @param trainings how many trainings are over
 */
public record MembershipNotice(
        long generation,
        String changed,
        boolean orderly,
        List<String> lost,
        String gone,
        LossCause goneFor,
        long version,
        long members,
        int trainings) {
    public MembershipNotice {
        lost = List.copyOf(lost);
    }
}

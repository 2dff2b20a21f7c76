package dev.tutti.strategy.parallel;

import java.util.ArrayList;
import java.util.List;

/**
 * Who holds what in a group: the place of each member within its set, and the number of its set. Members keep their place when others are
 * lost; those that come take the places with the fewest holders. A member that is left over holds a place like the others, has no share of
 * the data, and makes the same updates: it is a twin in reserve.
 *
 * @param grid as it is filled
 * @param places by rank
 * @param sets by rank; -1 for twins in reserve
 */
record Seats(Grid grid, List<Integer> places, List<Integer> sets) {
    /** What a member says of itself when a group forms. */
    record Claim(int tensor, int pipeline, int place, List<Integer> cuts, boolean again) {
        /** @param again whether the member has held a part of this run before, and given it up */
        static Claim none(boolean again) {
            return new Claim(0, 0, -1, List.of(), again);
        }

        boolean isOf(Grid grid) {
            return place >= 0 && tensor == grid.tensor() && pipeline == grid.pipeline();
        }
    }

    /**
     * Seats the members of a group.
     *
     * @param wanted the grid that was asked for
     * @param claims by rank
     */
    static Seats of(Grid wanted, List<Claim> claims) {
        Grid grid = wanted.within(claims.size());
        int[] holders = new int[grid.set()];
        List<Integer> places = new ArrayList<>();
        for (Claim claim : claims) {
            int place = claim.isOf(grid) ? claim.place() : -1;
            places.add(place);
            if (place >= 0) {
                holders[place]++;
            }
        }
        for (int rank = 0; rank < places.size(); rank++) {
            if (places.get(rank) < 0) {
                int place = fewest(holders);
                places.set(rank, place);
                holders[place]++;
            }
        }
        if (holders[fewest(holders)] == 0) { // some have to give up what they hold
            places.clear();
            for (int rank = 0; rank < claims.size(); rank++) {
                places.add(rank % grid.set());
            }
            holders = new int[grid.set()];
            for (int place : places) {
                holders[place]++;
            }
        }
        int sets = Math.min(grid.data(), holders[fewest(holders)]);
        int[] seen = new int[grid.set()];
        List<Integer> numbers = new ArrayList<>();
        for (int place : places) {
            int number = seen[place]++;
            numbers.add(number < sets ? number : -1);
        }
        return new Seats(new Grid(sets, grid.tensor(), grid.pipeline()), List.copyOf(places), List.copyOf(numbers));
    }

    /** Whether members have to give up what they hold, and build other parts. */
    boolean displaces(List<Claim> claims) {
        for (int rank = 0; rank < claims.size(); rank++) {
            Claim claim = claims.get(rank);
            if (claim.place() >= 0 && (!claim.isOf(grid) || claim.place() != places.get(rank))) {
                return true;
            }
        }
        return false;
    }

    private static int fewest(int[] holders) {
        int place = 0;
        for (int i = 1; i < holders.length; i++) {
            if (holders[i] < holders[place]) {
                place = i;
            }
        }
        return place;
    }

    int place(int rank) {
        return places.get(rank);
    }

    int set(int rank) {
        return sets.get(rank);
    }

    int stage(int rank) {
        return grid.stage(places.get(rank));
    }

    int slice(int rank) {
        return grid.slice(places.get(rank));
    }

    /** The ranks of all that hold the same as a member, by set; twins in reserve last. */
    List<Integer> twins(int rank) {
        List<Integer> ranks = new ArrayList<>();
        for (int other = 0; other < places.size(); other++) {
            if (places.get(other).equals(places.get(rank))) {
                ranks.add(other);
            }
        }
        return ranks;
    }

    /** The ranks of those that hold slices of the same stage in the same set, by slice; only the member itself for one in reserve. */
    List<Integer> slices(int rank) {
        List<Integer> ranks = new ArrayList<>();
        for (int slice = 0; slice < grid.tensor() && set(rank) >= 0; slice++) {
            ranks.add(rankOf(set(rank), stage(rank), slice));
        }
        return ranks.isEmpty() ? List.of(rank) : ranks;
    }

    /** The rank that holds a slice of a stage in a set. */
    int rankOf(int set, int stage, int slice) {
        int place = grid.place(stage, slice);
        for (int rank = 0; rank < places.size(); rank++) {
            if (places.get(rank) == place && sets.get(rank) == set) {
                return rank;
            }
        }
        throw new IllegalStateException("set " + set + " has no holder of stage " + stage + ", slice " + slice);
    }

    /** The ranks of the members of the first set that hold a place. */
    int firstHolder(int place) {
        return rankOf(0, grid.stage(place), grid.slice(place));
    }
}

package dev.gpubroker.verification.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a seed is like: which platforms there are, and what happens often, seldom or never. Worlds that differ find more than
 * one world in which everything happens a little.
 */
record Character(Set<String> platforms, String timeZone, Map<String, Integer> weights) {
    static Character of(long seed, List<Action> actions, Set<String> allPlatforms) {
        Dice dice = new Dice(seed, -1);
        Set<String> platforms = new TreeSet<>();
        for (String platform : allPlatforms) {
            if (dice.chance(60)) {
                platforms.add(platform);
            }
        }
        platforms.add(dice.pick("aliyun", "zhixingyun"));
        Map<String, Integer> weights = new LinkedHashMap<>();
        for (Action action : actions) {
            // By its name, so that a new action leaves the others as they were.
            int liking = new Dice(seed, action.name().hashCode()).pick(0, 1, 1, 2, 4);
            boolean always = action.name().startsWith("book") || action.name().startsWith("time");
            weights.put(action.name(), action.weight() * (always ? Math.max(1, liking) : liking));
        }
        return new Character(platforms, dice.pick("Asia/Shanghai", "Asia/Shanghai", "America/New_York"), weights);
    }

    /** The same, but some actions happen about as often as all the others together. */
    Character rather(Set<String> often, List<Action> actions) {
        int all = weights.values().stream().mapToInt(Integer::intValue).sum();
        Map<String, Integer> changed = new LinkedHashMap<>(weights);
        for (String name : often) {
            if (actions.stream().noneMatch(action -> action.name().equals(name))) {
                throw new IllegalArgumentException("there is no action '" + name + "'; there are "
                        + actions.stream().map(Action::name).toList());
            }
            changed.put(name, all / often.size());
        }
        return new Character(platforms, timeZone, changed);
    }

    Action next(List<Action> actions, Dice dice) {
        int all = weights.values().stream().mapToInt(Integer::intValue).sum();
        int at = dice.between(1, all);
        List<Action> possible = new ArrayList<>(actions);
        for (Action action : possible) {
            at -= weights.getOrDefault(action.name(), 0);
            if (at <= 0) {
                return action;
            }
        }
        throw new IllegalStateException("no action has a weight");
    }
}
